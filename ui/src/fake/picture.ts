// A picture made in the page, so that the fake host has something to show without a file.

export async function paintedPicture(seed = 0): Promise<ImageBitmap> {
  const canvas = document.createElement("canvas");
  canvas.width = 800;
  canvas.height = 600;
  const c = canvas.getContext("2d");
  if (!c) throw new Error("no canvas");
  const sky = c.createLinearGradient(0, 0, 0, 600);
  sky.addColorStop(0, seed % 2 ? "#f7f3ea" : "#fbd9c8");
  sky.addColorStop(0.6, seed % 2 ? "#c9c4b8" : "#e0705c");
  sky.addColorStop(1, "#5b2a2a");
  c.fillStyle = sky;
  c.fillRect(0, 0, 800, 600);
  const sun = c.createRadialGradient(520 - seed * 90, 230, 10, 520 - seed * 90, 230, 120);
  sun.addColorStop(0, "#ffffff");
  sun.addColorStop(0.7, "#ff3020");
  sun.addColorStop(1, "rgb(255 48 32 / 0%)");
  c.fillStyle = sun;
  c.fillRect(0, 0, 800, 600);
  const hills = ["#8a5a50", "#5a3a36", "#241c1a"];
  hills.forEach((colour, layer) => {
    c.fillStyle = colour;
    c.beginPath();
    c.moveTo(0, 600);
    for (let x = 0; x <= 800; x += 8) {
      c.lineTo(x, 380 + layer * 60 + 50 * Math.sin(x / (150 - layer * 25) + layer * 2 + seed) + 14 * Math.sin(x / 37 + layer));
    }
    c.lineTo(800, 600);
    c.fill();
  });
  return createImageBitmap(canvas);
}
